/**
 * The names of wiki pages. A page has a title ("House rules"), an address ("House-rules"), which is the title as one part of a URL, and a file at the root
 * of the wiki's branch ("House-rules.md"). Blanks are dashes in the last two. Where the title has dashes of its own, a mark at the end says so, and blanks
 * stay blanks. All else that is special is percent-encoded, in the file's name too, so that a title never becomes a path.
 */

const ENDING = ".md"
const MARK = ".-"

/** Titles that stand for other things in addresses below the wiki. */
const RESERVED: readonly string[] = ["_pages", "_new", "_edit", "raw"]
export const isReservedTitle = (title: string): boolean => RESERVED.includes(title)

export const isPageFile = (name: string): boolean => name.endsWith(ENDING) && name !== ENDING

/** Escapes all but letters, digits and `-_.~`. */
const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Text with malformed escapes is taken as it is: file names that were pushed need not be escaped. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isMarked = (title: string): boolean => title.includes("-") || title.endsWith(ENDING)

/** These would be taken for folders. */
const cleaned = (title: string): string => (title === "." || title === ".." || title === "" ? "unnamed" : title)

/** The address of a title, which must be well-formed Unicode. */
export function addressOfTitle(title: string): string {
  const name = cleaned(title)
  return isMarked(name) ? `${percentEncoded(name).replaceAll("%20", "+")}${MARK}` : percentEncoded(name.replaceAll(" ", "-"))
}

/** The file that a page of this title is written to. */
export function fileOfTitle(title: string): string {
  const name = cleaned(title)
  return (isMarked(name) ? `${percentEncoded(name).replaceAll("%20", " ")}${MARK}` : percentEncoded(name.replaceAll(" ", "-"))) + ENDING
}

const titleOf = (name: string): string => (name.endsWith(MARK) ? decoded(name.slice(0, -MARK.length)) : decoded(name.replaceAll("-", " ")))

export const titleOfFile = (file: string): string => titleOf(file.slice(0, -ENDING.length))

/** The title of a page by its address as it was asked for. */
export function titleOfAddress(address: string): string {
  const name = address.endsWith(ENDING) ? address.slice(0, -ENDING.length) : address
  return titleOf(name.replaceAll("+", name.endsWith(MARK) ? "%20" : " "))
}

/** The files that a page may have by its address, the likeliest first: as it is written here, and as it may have been pushed or written by other servers. */
export function filesOfAddress(address: string): readonly string[] {
  const title = titleOfAddress(address)
  const named = address.endsWith(ENDING) ? [address, decoded(address)] : []
  return [...new Set([...named, fileOfTitle(title), `${title}${ENDING}`, `${decoded(address)}${ENDING}`])]
}

/** The address under which a file among others is found; the file's name itself where another one has the better claim. */
export function addressOfFile(file: string, isThere: (file: string) => boolean): string {
  const address = addressOfTitle(titleOfFile(file))
  return filesOfAddress(address).find(isThere) === file ? address : percentEncoded(file)
}
