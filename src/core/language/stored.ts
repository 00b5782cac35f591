import { said, type Text, Words } from "./message.ts"

/** Words in the database: the message with its values in place of a sentence, so that whoever reads it later does so in their language. */

/** What is stored of words. Those that are no message, such as a date, are stored in English. */
export const storedWords = (words: Words): string => JSON.stringify(partOf(words))

function partOf(text: Text | number): unknown {
  if (!(text instanceof Words)) return text
  const made = text.made?.()
  return made ? { say: made.message, with: Object.entries(made.values).map(([name, value]) => [name, partOf(value)]) } : String(text)
}

/** Stored words. A sentence, as earlier versions stored it, is given as it is. */
export function readWords(stored: string): Text {
  try {
    return stored.startsWith("{") ? wordsOf(JSON.parse(stored)) : stored
  } catch {
    return stored
  }
}

function wordsOf(part: unknown): Text {
  if (typeof part !== "object" || part === null || !("say" in part)) return String(part)
  const given: readonly unknown[] = "with" in part && Array.isArray(part.with) ? part.with : []
  return said(
    String(part.say),
    Object.fromEntries(given.flatMap((each) => (Array.isArray(each) ? [[String(each[0]), memberValue(each[1])]] : []))),
  )
}

const memberValue = (part: unknown): Text | number => (typeof part === "number" ? part : wordsOf(part))
