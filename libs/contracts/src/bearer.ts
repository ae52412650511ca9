/**
 * Every bearer of ours: a short prefix and 256 random bits in base64url. By form and not by a list of prefixes: what looks like one of ours is
 * never shown to anybody else, whatever build made it.
 */
const OWN = /^[a-z]{2,12}_[A-Za-z0-9_-]{43}$/;

/** Is this a bearer that only this system could have made? All others may be tokens of an issuer that the zone trusts. */
export const isOwnBearer = (bearer: string): boolean => OWN.test(bearer);

/** Characters of the longest bearer that is looked at; tokens of an identity provider with a claim per group are the long ones. */
export const MAX_BEARER = 8_192;
