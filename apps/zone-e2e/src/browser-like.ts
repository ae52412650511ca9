/** What a browser keeps and sends, without one: cookies by host, redirects followed by hand. */
export function browserLike() {
  const jars = new Map<string, Map<string, string>>();
  /** Cookie lines as they were set, for a test to look at their attributes. */
  const set: string[] = [];

  const cookiesFor = (url: URL) =>
    [...(jars.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');

  async function get(
    url: URL,
    { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const cookie = cookiesFor(url);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(cookie && { cookie }), ...headers },
    });
    const jar = jars.get(url.host) ?? new Map<string, string>();
    jars.set(url.host, jar);
    for (const line of response.headers.getSetCookie()) {
      set.push(line);
      const [pair] = line.split(';') as [string];
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  return {
    set,
    get,
    cookie: (url: URL, name: string) => jars.get(url.host)?.get(name),
    /** Follows redirects until the answer is none, or `stop` says that this is the place. */
    async follow(
      from: URL,
      stop: (url: URL) => boolean = () => false,
    ): Promise<{ url: URL; response: Response }> {
      let url = from;
      for (let hop = 0; hop < 15; hop++) {
        const response = await get(url);
        const location = response.headers.get('location');
        if (location === null) return { url, response };
        url = new URL(location, url);
        if (stop(url)) return { url, response };
      }
      throw new Error(`too many redirects from ${from.href}`);
    },
  };
}
