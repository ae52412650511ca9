import { request } from 'node:http';

/** A GET under another Host, as a proxy in front would send it; fetch does not let one say who one asks for. */
export function sendAs(
  url: string,
  host: string,
): Promise<{ status: number; location: string | undefined; set_cookie: string[] }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (res) => {
      res.resume();
      const { location, 'set-cookie': set_cookie = [] } = res.headers;
      resolve({ status: res.statusCode ?? 0, location, set_cookie });
    })
      .on('error', reject)
      .end();
  });
}
