import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assetPath } from "../program/assets.ts"
import { HOME, isBuilt } from "../program/home.ts"
import { onDemand } from "../program/on-demand.ts"
import { withoutContext } from "./context.ts"
import { type LanguageCode, languageOf } from "./languages.ts"
import type { Arrangement, MessageTemplate, Part } from "./template.ts"

/** What a message takes, by name. */
export type MessageValues = Readonly<Record<string, string | number>>

const library = () => onDemand("intl-messageformat")
const syntax = () => onDemand("@formatjs/icu-messageformat-parser")

type Formatter = InstanceType<ReturnType<typeof library>["IntlMessageFormat"]>
/** A message as `bin/build-locales.mjs` compiles it; a text where it says nothing but itself, or is not compiled. */
type Compiled = ConstructorParameters<ReturnType<typeof library>["IntlMessageFormat"]>[0]
type Element = ReturnType<Formatter["getAst"]>[number]

/** A language with its messages, which are read at the first use. What it lacks is said in English. */
export class Language {
  readonly code: LanguageCode
  readonly direction: "ltr" | "rtl"
  #catalogue: ReadonlyMap<string, Compiled> | undefined
  readonly #formatters = new Map<string, Formatter>()
  readonly #arrangements = new WeakMap<MessageTemplate, Arrangement>()

  constructor(code: LanguageCode) {
    this.code = code
    this.direction = isRightToLeft(code) ? "rtl" : "ltr"
  }

  /** The translation of a message; undefined where there is none. */
  translation(message: string): Compiled | undefined {
    this.#catalogue ??= read(this.code)
    return this.#catalogue.get(message)
  }

  /** A message, which is the English one, with its values. */
  say(message: string, values: MessageValues = {}): string {
    const text = this.translation(message)
    if (text === undefined && this.code !== "en") return ENGLISH.say(message, values)
    const said = text ?? withoutContext(message)
    return typeof said !== "object" && isSimple(said) ? filled(said, values) : String(this.#formatter(message, said).format({ ...values }))
  }

  /** A template in this language, arranged once. */
  arrange(template: MessageTemplate): Arrangement {
    const known = this.#arrangements.get(template)
    if (known) return known
    const made = template.arranged((message) => {
      const text = this.translation(message)
      if (text === undefined) return undefined
      return typeof text === "string" && !/[{}<>']/.test(text) ? [text] : partsOf(this.#formatter(message, text).getAst())
    })
    this.#arrangements.set(template, made)
    return made
  }

  #formatter(message: string, text: Compiled): Formatter {
    const known = this.#formatters.get(message)
    if (known) return known
    const made = new (library().IntlMessageFormat)(text, this.code)
    this.#formatters.set(message, made)
    return made
  }
}

/** Whether a message has nothing but words and names of values. */
const isSimple = (message: string): boolean => !/['<#]|\{\w+,/.test(message)

const filled = (message: string, values: MessageValues): string =>
  message.includes("{") ? message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? "")) : message

/** A translation as parts of a template. Others than words, holes and elements don't stand in templates, see `tests/structure/messages.ts`. */
function partsOf(elements: readonly Element[]): readonly Part[] {
  const { isArgumentElement, isLiteralElement, isTagElement } = syntax()
  return elements.flatMap((element): readonly Part[] => {
    if (isLiteralElement(element)) return [element.value]
    if (isArgumentElement(element)) return [{ hole: Number(element.value) }]
    return isTagElement(element) ? [{ tag: element.value, parts: partsOf(element.children) }] : []
  })
}

function isRightToLeft(code: string): boolean {
  const locale = new Intl.Locale(code)
  const info: unknown = "getTextInfo" in locale && typeof locale.getTextInfo === "function" ? locale.getTextInfo() : undefined
  return typeof info === "object" && info !== null && "direction" in info && info.direction === "rtl"
}

/** The catalogue of a language: message → translation. English has none: the messages are what it says. */
function read(code: LanguageCode): ReadonlyMap<string, Compiled> {
  if (code === "en") return new Map()
  const path = isBuilt ? join(HOME, "dist/locales", `${code}.json`) : assetPath("locales", `${code}.json`)
  const messages: Readonly<Record<string, Compiled>> = JSON.parse(readFileSync(path, "utf8"))
  return new Map(Object.entries(messages))
}

export const ENGLISH = new Language("en")

const made = new Map<LanguageCode, Language>([["en", ENGLISH]])

export function language(code: LanguageCode): Language {
  const known = made.get(code) ?? new Language(code)
  made.set(code, known)
  return known
}

/** The language that an account has chosen, else another: English for mails, which know no browser. */
export const chosenLanguage = (chosen: string, otherwise: LanguageCode = "en"): Language => language(languageOf(chosen) ?? otherwise)
