const NAMES = "authorization|cookie|password|passwd|passphrase|token|secret|secret_?key|otp|api_?key|private_?key|credentials?"

/** Repetitions are bounded, so that every text takes linear time. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // scheme://user:password@host, and scheme://token@host
  [/:\/\/[^\s/@"'<>]{1,1024}@/g, "://***@"],
  // ?token=…, &access_token=…
  [new RegExp(`([?&;](?:[\\w.-]|%5[bf]){0,40}(?:${NAMES}|sig|signature|code)=)[^&\\s"'#\\\\]+`, "gi"), "$1***"],
  // "password":"…" and "set-cookie":["…"]
  [new RegExp(`("[\\w.-]{0,40}(?:${NAMES})"\\s{0,4}:\\s{0,4})(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, "gi"), '$1"***"'],
  // The same inside of a text that is itself written as JSON.
  [
    new RegExp(`(\\\\"[\\w.-]{0,40}(?:${NAMES})\\\\"\\s{0,4}:\\s{0,4})\\\\"(?:[^"\\\\]|\\\\\\\\(?:\\\\.|[^"\\\\]))*\\\\"`, "gi"),
    '$1\\"***\\"',
  ],
  // A header in running text, and a scheme with what looks like credentials.
  [/\b((?:proxy-)?authorization|(?:set-)?cookie|x-gitea-otp)(\s{0,4}[:=]\s{0,4})[^\s"\\][^"\\\r\n]*/gi, "$1$2***"],
  [/\b(Basic|Bearer)\s{1,4}[\w+/.=~-]{16,}/gi, "$1 ***"],
]

/** What every rule needs to match. Most lines have none of it, and this test is many times faster than the rules. */
const HINT = /:\/\/|authorization|cookie|passw|passphrase|token|secret|otp|key|credential|basic|bearer|signature|code=|sig=/i

/**
 * Removes credentials from a text: passwords in URLs, tokens in queries, headers and fields with credentials. Works on
 * running text and on JSON, which stays JSON. A bare token without a word before it can't be distinguished from a commit id and stays.
 */
export const redact = (text: string): string =>
  HINT.test(text) ? RULES.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text) : text
