import { withoutContext } from "../../core/language/context.ts"

/** What scripts say, in the language of the page. Pages that are not in English load a script with the translations before this one, see assets.ts. */

const read: unknown = Reflect.get(globalThis, "words")
const known: Readonly<Record<string, unknown>> = typeof read === "object" && read !== null ? { ...read } : {}

/** A message that is marked elsewhere. */
export const said = (message: string): string => {
  const found = known[message]
  return typeof found === "string" ? found : withoutContext(message)
}

/** A message with its values: `t("Lines {first} to {last}", { first, last })`. It has no plurals; `npm run messages` collects it. */
export function t(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  return said(message).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""))
}
