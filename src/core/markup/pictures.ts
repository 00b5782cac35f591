import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Pictures of other sites in texts. Pages load nothing from elsewhere, so that no one else learns who reads what: the server fetches such a picture
 * in the reader's place, from an address that it has signed, so that it fetches nothing that no text shows.
 */

export const PICTURE_PATH = "/-/picture"

/** Longer addresses are named and not shown. */
export const LONGEST_PICTURE_URL = 2_048

const signatureOf = (url: string, key: string): string => createHmac("sha256", key).update(url).digest("base64url")

/** The path that shows the picture of another site; undefined if its address can't be used. */
export function picturePath(address: string, key: string): string | undefined {
  const url = URL.parse(address.startsWith("//") ? `https:${address}` : address)
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") return undefined
  url.hash = ""
  if (url.href.length > LONGEST_PICTURE_URL) return undefined
  return `${PICTURE_PATH}?${new URLSearchParams({ url: url.href, signature: signatureOf(url.href, key) })}`
}

/** Whether this key has signed the address. Compares in constant time. */
export function isSignedPicture(url: string, signature: string, key: string): boolean {
  const [right, given] = [Buffer.from(signatureOf(url, key)), Buffer.from(signature)]
  return right.length === given.length && timingSafeEqual(right, given)
}
