/** Markup, a quote that would leave an attribute, a script URL, and a mark that turns the text around. */
export const HOSTILE =
  '<script>alert(1)</script><img src=x onerror=alert(2)>" onmouseover="alert(3) javascript:alert(4) \u202egpj.exe';
export const HOSTILE_SHOWN = HOSTILE.replace('\u202e', '\\u{202e}');
