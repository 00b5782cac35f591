import { refuse } from "../../../core/errors.ts"

/** What may be in the names of generic packages, their versions and their files. The first spelling of a name is kept, in any letter case it is the same. */

const LONGEST = 255
/** Letters and digits of any script. */
const NAME = /^[\p{L}\p{N}\-_.+]+$/u
const FILE = /^[\p{L}\p{N} \-_+=:;.()[\]{}~!@#$%^&]+$/u
const CONTROL = /\p{Cc}/u

function requireLength(what: string, text: string): void {
  if (text === "") throw refuse.badRequest(`the ${what} must not be empty`)
  if (text.length > LONGEST) throw refuse.badRequest(`the ${what} is longer than ${LONGEST} characters`)
  if (!text.isWellFormed()) throw refuse.badRequest(`the ${what} can't be read as text`)
}

/** Refuses `badRequest` what is no name of a package. */
export function requireName(name: string): void {
  requireLength("name", name)
  if (!NAME.test(name)) throw refuse.badRequest("the name may have letters, digits, - _ . and +")
  if (/^[^\p{L}\p{N}]+$/u.test(name)) throw refuse.badRequest("the name must have a letter or a digit")
}

/** Refuses `badRequest` what is no version. */
export function requireVersionName(version: string): void {
  requireLength("version", version)
  if (version !== version.trim()) throw refuse.badRequest("the version must not begin or end with a blank")
  if (CONTROL.test(version) || /[/\\]/.test(version) || version === "." || version === "..")
    throw refuse.badRequest("the version must not have slashes or control characters, nor be . or ..")
}

/** Refuses `badRequest` what is no name of a file. */
export function requireFileName(name: string): void {
  requireLength("file name", name)
  if (name !== name.trim()) throw refuse.badRequest("the file name must not begin or end with a blank")
  if (!FILE.test(name) || name === "." || name === "..")
    throw refuse.badRequest(
      "the file name may have letters, digits, blanks and - _ + = : ; . ( ) [ ] { } ~ ! @ # $ % ^ &, and is not . or ..",
    )
}
