/** How many values a body has, known before it is parsed: parsing millions of them takes seconds that nothing can interrupt. */

const [QUOTE, BACKSLASH, COMMA, AMPERSAND] = [0x22, 0x5c, 0x2c, 0x26]

/** Whether JSON has more commas than this outside of its texts. Reads no further than it must. */
export function hasMoreValues(json: Buffer, most: number): boolean {
  let count = 0
  let at = 0
  while (at < json.length) {
    const quote = json.indexOf(QUOTE, at)
    const end = quote < 0 ? json.length : quote
    for (; at < end; at++) if (json[at] === COMMA && ++count > most) return true
    if (quote < 0) return false
    at = endOfText(json, quote + 1)
  }
  return false
}

/** Behind the quotation mark that ends a text. */
function endOfText(json: Buffer, from: number): number {
  for (let quote = json.indexOf(QUOTE, from); quote >= 0; quote = json.indexOf(QUOTE, quote + 1)) {
    let escapes = quote - 1
    while (escapes >= from && json[escapes] === BACKSLASH) escapes--
    if ((quote - escapes) % 2 === 1) return quote + 1
  }
  return json.length
}

/** Whether a form has more fields than this. */
export function hasMoreFields(form: Buffer, most: number): boolean {
  let count = 0
  for (let at = form.indexOf(AMPERSAND); at >= 0; at = form.indexOf(AMPERSAND, at + 1)) if (++count >= most) return true
  return false
}
