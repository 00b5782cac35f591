/** What scripts say, in the language of the page, which brings the translations of their messages where it is not English. */

function translations(): Readonly<Record<string, unknown>> {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="words"]')
  const read: unknown = meta ? JSON.parse(meta.content) : {}
  return typeof read === "object" && read !== null ? { ...read } : {}
}

const known = translations()

/** A message that is marked elsewhere. */
export const said = (message: string): string => {
  const found = known[message]
  return typeof found === "string" ? found : message
}

/** A message with its values: `t("Lines {first} to {last}", { first, last })`. It has no plurals; `npm run messages` collects it. */
export function t(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  return said(message).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""))
}
