/** The languages of pages and mails, with the name that each has in itself. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  "pt-BR": "Português (Brasil)",
  ja: "日本語",
  "zh-CN": "简体中文",
} as const

export type LanguageCode = keyof typeof LANGUAGES

export const LANGUAGE_CODES = Object.keys(LANGUAGES).filter((code): code is LanguageCode => code in LANGUAGES)

/** A language by a tag such as `pt-PT` or `de`: that with the same tag, else one of the same language. */
export function languageOf(tag: string): LanguageCode | undefined {
  const wanted = tag.trim().toLowerCase()
  const base = wanted.split(/[-_]/)[0]
  return (
    LANGUAGE_CODES.find((code) => code.toLowerCase() === wanted.replaceAll("_", "-")) ??
    LANGUAGE_CODES.find((code) => code.toLowerCase().split("-")[0] === base)
  )
}

/** The most languages of a browser that are looked at. */
const MOST = 20

/** The first language of an Accept-Language header that pages have; English where there is none. */
export function acceptedLanguage(header: string | undefined): LanguageCode {
  const wanted = (header ?? "")
    .slice(0, 500)
    .split(",", MOST)
    .flatMap((each) => {
      const [tag = "", quality] = each.split(";")
      const weight = quality === undefined ? 1 : Number(/q=([\d.]+)/.exec(quality)?.[1] ?? 0)
      const code = languageOf(tag)
      return code && weight > 0 ? [{ code, weight }] : []
    })
    .sort((one, other) => other.weight - one.weight)
  return wanted[0]?.code ?? "en"
}
