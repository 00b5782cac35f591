/**
 * A word with several meanings has its meaning behind a bar in the key, once for each that is not the usual one: `t("Close|dialog")` beside `t("Close")`. English says what
 * stands before the bar. A template says such a word by a hole: html`<button>${t("Close|dialog")}</button>`.
 */
export const withoutContext = (message: string): string => message.replace(/\|[a-z]+$/, "")
