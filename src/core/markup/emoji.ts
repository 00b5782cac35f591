import names from "markdown-it-emoji/lib/data/full.mjs"

const characters: ReadonlyMap<string, string> = new Map(Object.entries(names))

/** The character of a name such as `smile`, or undefined. */
export const emojiNamed = (name: string): string | undefined => characters.get(name)

/** Names that begin like this, else that contain it, with their characters. */
export function emojiBeginning(text: string, most: number): readonly (readonly [name: string, character: string])[] {
  const wanted = text.toLowerCase()
  const first = [...characters].filter(([name]) => name.startsWith(wanted))
  const others = first.length < most ? [...characters].filter(([name]) => !name.startsWith(wanted) && name.includes(wanted)) : []
  return [...first, ...others].slice(0, most)
}
