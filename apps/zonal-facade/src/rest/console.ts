import express, { type Express } from 'express';
import { COMMON_HEADERS } from '../answer.js';
import { labelRoute } from '../route-label.js';

/** The console may load its own files and call its own origin, nothing else; no page may frame it (an approval is one click). */
const CSP = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the built console under /console; a path without a file is the console's own and gets its page. */
export function serveConsole(app: Express, dir: string): void {
  app.use('/console', (req, res, next) => {
    labelRoute(req, '/console');
    res.set({
      ...COMMON_HEADERS,
      'content-security-policy': CSP,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
    next();
  });
  app.use(
    '/console',
    express.static(dir, {
      etag: false,
      cacheControl: false,
      dotfiles: 'ignore',
      lastModified: false,
      // A folder without its slash would be a redirect with an HTML body.
      redirect: false,
    }),
  );
  app.get(['/console', '/console/*view'], (req, res, next) => {
    // A missing script must stay a 404: its page instead would be a syntax error without a name. So must what a program asks as JSON.
    if (/\.\w+$/.test(req.path) || !req.accepts('html')) return next();
    res.sendFile(
      'index.html',
      { root: dir, etag: false, cacheControl: false, lastModified: false },
      (error) => error && next(),
    );
  });
}
