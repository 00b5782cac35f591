/** Terminal columns: the limit of a feed's text. */
const WIDTH = 200
/** Bytes; a longer last word is kept cut, as it may be text in a script without spaces. */
const LONGEST_BROKEN_WORD = 15
const ELLIPSIS = "…"

const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u
/** East Asian characters and emoji, which take two columns. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u

const widthOf = (character: string): number => (INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** The beginning of a text, at most 200 columns wide, without a partial word at the end. */
export function abbreviate(text: string): string {
  let width = 0
  let fitting = 0
  let length = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > WIDTH) {
      const cut = text.slice(0, fitting)
      const blank = cut.lastIndexOf(" ")
      const breaksWord = blank >= 0 && Buffer.byteLength(cut.slice(blank)) + Buffer.byteLength(ELLIPSIS) < LONGEST_BROKEN_WORD
      return (breaksWord ? cut.slice(0, blank) : cut) + ELLIPSIS
    }
    length += character.length
    // The last column is reserved for the ellipsis.
    if (width < WIDTH) fitting = length
  }
  return text
}
