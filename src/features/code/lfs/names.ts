/** The name of an object: the SHA-256 of its bytes in lower-case hex. Everything else, and so every path, is no name. */
export const isOid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Whether a number is a length in bytes. */
export const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0
