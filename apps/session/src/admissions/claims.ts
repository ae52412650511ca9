/** A claim by its name, or by a path into an object (`realm_access.roles`). The exact name first: some are URLs, which hold dots. */
export function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** The texts of a claim: one, or a list. What is no text counts as nothing. */
export function textsOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((entry): entry is string => typeof entry === 'string') : [];
}
