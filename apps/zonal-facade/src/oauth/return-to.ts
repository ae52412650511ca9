const HOME = '/console/';
/** Path, query and fragment of a page of the console: no second slash at the front, nothing a browser reads as one. */
const PAGE =
  /^\/console(?:\/(?!\/)[A-Za-z0-9\-._~%!$&'()*+,;=:@/]*)?(?:\?[A-Za-z0-9\-._~%!$&'()*+,;=:@/?]*)?$/;

/** Where to go after signing in: the page that was asked for if it is one of the console’s, else its first. Never another site. */
export function returnTo(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > 1_024 || !PAGE.test(asked)) return HOME;
  // As a browser reads it, dot segments and all.
  const { origin, pathname } = new URL(asked, 'http://zone.invalid');
  return origin === 'http://zone.invalid' && /^\/console(\/|$)/.test(pathname) ? asked : HOME;
}
