/** The lines of a text without what ends them: "\n" or "\r\n". An end of the last line begins no further one. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return text.includes("\r") ? lines.map(withoutReturn) : lines
}

/** A line without the "\r" of "\r\n". */
export const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

/** A text whose lines end with "\n" alone. Browsers send "\r\n", as e-mails do. */
export function unixLines(text: string): string
export function unixLines(text: string | undefined): string | undefined
export function unixLines(text: string | undefined): string | undefined {
  return text?.replaceAll("\r\n", "\n")
}
