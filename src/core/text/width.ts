/** Characters that are two columns wide: those of East Asia, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** The text, cut to at most `width` columns; a cut one ends in "…". */
export function cutToWidth(text: string, width: number): string {
  // No character is wider than its UTF-16 code units.
  if (text.length * 2 <= width) return text
  let columns = 0
  let kept = 0
  let end = 0
  for (const character of text) {
    columns += WIDE.test(character) ? 2 : 1
    if (columns > width) return `${text.slice(0, kept)}…`
    end += character.length
    if (columns < width) kept = end
  }
  return text
}
