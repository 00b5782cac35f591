import { t, type Words } from "./language/message.ts"

/** What a name may look like, for schemas, and for refusals that say what is wrong with one. */
export interface NameForm {
  readonly pattern: string
  /** One character that may be in such a name. */
  readonly character: RegExp
  /** The form in words, after "must be". */
  readonly form: Words
}

/** Of repositories and teams. */
export const PLAIN_NAME: NameForm = {
  pattern: "^[A-Za-z0-9._-]+$",
  character: /^[A-Za-z0-9._-]$/,
  form: t("letters, digits, - _ and ."),
}

/** Of people and organisations. */
export const ACCOUNT_NAME: NameForm = {
  pattern: "^[A-Za-z0-9]+([-_.][A-Za-z0-9]+)*$",
  character: /^[A-Za-z0-9._-]$/,
  form: t("letters and digits, with single - _ or . between them"),
}

const byPattern: ReadonlyMap<string, NameForm> = new Map([PLAIN_NAME, ACCOUNT_NAME].map((form) => [form.pattern, form]))

/** What is wrong with a name that doesn't match its pattern: the first character that it may not have, or else its form. */
export function faultOfName({ character, form }: NameForm, name: string): Words {
  const odd = [...name].find((one) => !character.test(one))
  return odd === undefined ? t`must be ${form}` : t`must not contain ${JSON.stringify(odd)}; it must be ${form}`
}

/** Like `faultOfName`, for a value that doesn't match a pattern; undefined if the pattern is not that of names. */
export function faultByPattern(pattern: string | RegExp, value: unknown): Words | undefined {
  const form = byPattern.get(typeof pattern === "string" ? pattern : pattern.source)
  return form === undefined || typeof value !== "string" ? undefined : faultOfName(form, value)
}
