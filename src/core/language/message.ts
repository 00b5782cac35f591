import type { MessageKey } from "./keys.ts"
import { ENGLISH, type Language } from "./language.ts"
import { literal } from "./literal.ts"

/** Words that are said in the language of who reads them. */
export class Words {
  readonly in: (language: Language) => string
  /** The message that they are, with its values; undefined where they are none. See `stored.ts`. */
  readonly made: (() => Made) | undefined

  constructor(words: (language: Language) => string, made?: () => Made) {
    this.in = words
    this.made = made
  }

  /** In English. */
  toString(): string {
    return this.in(ENGLISH)
  }
}

/** A text of someone, which is the same in every language, or words. */
export type Text = string | Words

type Values = Readonly<Record<string, Text | number>>

interface Made {
  readonly message: string
  readonly values: Values
}

export const textIn = (language: Language, text: Text): string => (typeof text === "string" ? text : text.in(language))

type NameOf<Inside extends string> = Inside extends `${infer Name},${string}` ? Name : Inside
/** The names of what a message takes, as far as a type can tell: those outside of plurals. */
type NamesIn<Message extends string> = Message extends `${string}{${infer Rest}`
  ? Rest extends `${infer Inside}}${infer After}`
    ? NameOf<Inside> | (Inside extends `${string},${string}` ? never : NamesIn<After>)
    : never
  : never

type ValuesOf<Message extends string> = [NamesIn<Message>] extends [never]
  ? readonly []
  : readonly [values: Readonly<Record<NamesIn<Message>, Text | number>> & Readonly<Record<string, Text | number>>]

/**
 * A message of the catalogue, in ICU MessageFormat and English: `t("{count, plural, one {# file} other {# files}}", { count })`. As the tag of a
 * template, its holes are numbered: t`there is no user ${name}` is the message "there is no user {0}".
 */
export function t(strings: TemplateStringsArray, ...values: readonly (Text | number)[]): Words
export function t<Message extends MessageKey>(message: Message, ...values: ValuesOf<Message>): Words
export function t(message: string | TemplateStringsArray, ...values: readonly unknown[]): Words {
  if (typeof message === "string") return said(message, isValues(values[0]) ? values[0] : undefined)
  return tagged(
    message,
    values.map((value) => (value instanceof Words ? value : String(value))),
  )
}

const tagged = (texts: readonly string[], values: readonly Text[]): Words =>
  new Words(
    (language) => {
      const filled = values.map((value) => textIn(language, value))
      const message = language === ENGLISH ? undefined : taggedMessage(texts)
      return message === undefined || language.translation(message) === undefined
        ? texts.map((text, index) => text + (filled[index] ?? "")).join("")
        : language.say(message, Object.fromEntries(filled.entries()))
    },
    () => ({ message: taggedMessage(texts), values: Object.fromEntries(values.entries()) }),
  )

// The overload of `t` has checked them.
const isValues = (values: unknown): values is Values => typeof values === "object" && values !== null

/** The message of a template with these texts between its holes. */
export const taggedMessage = (texts: readonly string[]): string =>
  texts.map((text, index) => literal(text) + (index < texts.length - 1 ? `{${index}}` : "")).join("")

/** A text that is a message by itself, if the catalogue has it. */
export const sayable = (text: string): Words => tagged([text], [])

/** Marks a message that is said elsewhere, with its values. */
export const key = (message: MessageKey): MessageKey => message

/** Words of a message that is marked or collected elsewhere. */
export const said = (message: string, values: Values | undefined): Words =>
  new Words(
    (language) => {
      if (values === undefined) return language.say(message)
      const texts = Object.entries(values).map(([name, value]) => [name, typeof value === "number" ? value : textIn(language, value)])
      return language.say(message, Object.fromEntries(texts))
    },
    () => ({ message, values: values ?? {} }),
  )

/** A title and what it is within: `Issues · acme/rocket`. Empty ones are left out. */
export const titled = (...texts: readonly Text[]): Words =>
  new Words((language) =>
    texts
      .map((text) => textIn(language, text))
      .filter((text) => text !== "")
      .join(" · "),
  )

/** What is made once for each language, such as a format of `Intl`. */
export function inEach<Made>(make: (code: string) => Made): (language: Language) => Made {
  const made = new Map<string, { readonly it: Made }>()
  return ({ code }) => {
    const known = made.get(code) ?? { it: make(code) }
    made.set(code, known)
    return known.it
  }
}

/** `1 file`, `2 files` as a message. */
export const pluralMessage = (one: string, more = `${one}s`): string => `{count, plural, one {# ${one}} other {# ${more}}}`

const integers = inEach((code) => new Intl.NumberFormat(code))

/** A number with the separators of the language. */
export const number = (many: number): Words => new Words((language) => integers(language).format(many))

/** `1 file`, `2 files`. */
export const plural = (many: number, one: string, more?: string): Words =>
  new Words((language) =>
    language === ENGLISH
      ? `${integers(language).format(many)} ${many === 1 ? one : (more ?? `${one}s`)}`
      : language.say(pluralMessage(one, more), { count: many }),
  )
