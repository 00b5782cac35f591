import { type Refusal, Unsent } from "../core/errors.ts"
import type { Content } from "../core/html.ts"
import { ENGLISH, type Language } from "../core/language/language.ts"
import { sayable, type Text, t, textIn, Words } from "../core/language/message.ts"
import { notice } from "./components.ts"

/**
 * A refusal as a sentence: "[new_password]: must …" reads "New password must …", and a reason that is a sentence by itself, such as "there is no
 * user ann", stands alone.
 */
export const sentence = (said: Text): Words =>
  new Words((language) => {
    const [, field, reason = textIn(language, said)] = OF_FIELD.exec(textIn(language, said)) ?? []
    const isOfField = /^(must|is|are|has|have|can|may|needs)\b/.test(OF_FIELD.exec(String(said))?.[2] ?? "")
    const start = capital(field === undefined || !isOfField ? reason : ofField(language, field.replaceAll("_", " "), reason))
    return start === "" || /[.!?。！？]$/.test(start) ? start : t("{sentence}.", { sentence: start }).in(language)
  })

const OF_FIELD = /^\[(?:[^\].]+\.)*([^\].]+)\]:\s*(.*)/s
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Other languages have the field by its label, where a form has one like that, and no grammar that fits all reasons. */
const ofField = (language: Language, field: string, reason: string): string =>
  language === ENGLISH ? `${field} ${reason}` : `${sayable(capital(field)).in(language)}: ${reason}`

/** A refusal without the name of its field, to stand beside it. */
export const withoutField = (said: Text): Words => new Words((language) => textIn(language, said).replace(/^\[\w+\]: */, ""))

/** What is wrong with a form that is shown again. */
export const problem = (refusal: Refusal | undefined): Content =>
  refusal && notice(refusal instanceof Unsent ? "info" : "bad", sentence(refusal.said))
