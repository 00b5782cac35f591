import { type Refusal, Unsent } from "../core/errors.ts"
import type { Content } from "../core/html.ts"
import { notice } from "./components.ts"

/**
 * A refusal as a sentence: "[new_password]: must …" reads "New password must …", and a reason that is a sentence by itself, such as "there is no
 * user ann", stands alone.
 */
export function sentence(message: string): string {
  const words = message.replace(/^\[(?:[^\].]+\.)*([^\].]+)\]:\s*(.*)/s, (_, field: string, reason: string) =>
    /^(must|is|are|has|have|can|may|needs)\b/.test(reason) ? `${field.replaceAll("_", " ")} ${reason}` : reason,
  )
  const start = `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  return start === "" || /[.!?]$/.test(start) ? start : `${start}.`
}

/** What is wrong with a form that is shown again. */
export const problem = (refusal: Refusal | undefined): Content =>
  refusal && notice(refusal instanceof Unsent ? "info" : "bad", sentence(refusal.message))
