import { type Text, t } from "../../../core/language/message.ts"
/** A line of a log as pages show it: its colours as classes, its workflow commands as kinds. What a terminal would do besides is dropped. */

export type LineKind = "" | "group" | "endgroup" | "error" | "warning" | "notice" | "debug" | "command"

/** A text and the classes that it is shown in, "" for none. */
export type LinePart = readonly [classes: string, text: Text]

export interface ShownLine {
  /** When the runner wrote it, as in the log; "" where the line doesn't begin with a time. */
  readonly time: string
  readonly kind: LineKind
  readonly parts: readonly LinePart[]
}

/** Characters of a line that are shown; what follows is in the file that can be downloaded. */
const LONGEST = 4_096
/** Changes of style in a line; after them it goes on in the last one. */
const MOST_PARTS = 200

const TIMED = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) /
const COMMAND =
  /^(?:##\[(group|endgroup|error|warning|notice|debug|command|section)\]|::(group|endgroup|error|warning|notice|debug)(?: [^:]*(?::(?!:)[^:]*)*)?::)/
const KINDS: Readonly<Record<string, LineKind>> = {
  group: "group",
  endgroup: "endgroup",
  error: "error",
  warning: "warning",
  notice: "notice",
  debug: "debug",
  command: "command",
}

/** The time of a line and what follows it. */
export function splitTime(line: string): { readonly time: string; readonly text: string } {
  const found = TIMED.exec(line.slice(0, 40))
  return found ? { time: found[1] ?? "", text: line.slice(found[0].length) } : { time: "", text: line }
}

/** Reads a line as it stands in a log. */
export function readLine(line: string): ShownLine {
  const { time, text } = splitTime(line)
  const isCut = text.length > LONGEST
  const shown = isCut ? text.slice(0, LONGEST) : text
  const command = COMMAND.exec(shown)
  const rest = command ? shown.slice(command[0].length) : shown
  const parts = partsOf(lastWritten(rest))
  return {
    time,
    kind: KINDS[command?.[1] ?? command?.[2] ?? ""] ?? "",
    parts: isCut ? [...parts, ["ansi-d", t(" … the rest of this line is in the file")]] : parts,
  }
}

/** Bytes of a line that are enough to show it. */
export const SHOWN_BYTES = LONGEST * 4 + 40

/** What a terminal shows in the end of a line that is written over, as bars of progress are. */
function lastWritten(text: string): string {
  const trimmed = text.replace(/\r+$/, "")
  return trimmed.slice(trimmed.lastIndexOf("\r") + 1)
}

interface Style {
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  /** From 0 to 15; undefined for that of the page. */
  readonly color: number | undefined
  readonly background: number | undefined
}
const PLAIN: Style = { bold: false, dim: false, italic: false, underline: false, color: undefined, background: undefined }

const ESCAPE = 0x1b

/** Other control characters have no picture, and those of C1 would begin sequences, too. */
const isShown = (code: number): boolean => code === 9 || (code >= 32 && (code < 127 || code > 159))

function partsOf(text: string): readonly LinePart[] {
  const parts: LinePart[] = []
  let style = PLAIN
  let run = ""
  const flush = () => {
    if (run !== "") parts.push([classesOf(style), run])
    run = ""
  }
  // The first character that is not in the run yet: a text made of single characters would take many times its size.
  let begun = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (isShown(code)) {
      at += 1
      continue
    }
    run += text.slice(begun, at)
    begun = code === ESCAPE ? endOfSequence(text, at) : at + 1
    if (code === ESCAPE && text.charAt(at + 1) === "[" && text.charAt(begun - 1) === "m" && parts.length < MOST_PARTS) {
      flush()
      style = styled(style, text.slice(at + 2, begun - 1))
    }
    at = begun
  }
  run += text.slice(begun)
  flush()
  return parts
}

/** Where the sequence ends that begins with an escape; one that doesn't end is taken for the escape alone. */
function endOfSequence(text: string, at: number): number {
  const second = text.charAt(at + 1)
  if (second === "[") {
    let end = at + 2
    while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) <= 0x3f) end++
    const last = text.charCodeAt(end)
    return last >= 0x40 && last <= 0x7e ? end + 1 : at + 1
  }
  // Titles, links and the like, up to BEL or ESC \.
  if (second !== "" && "]PX^_".includes(second)) {
    for (let end = at + 2; end < text.length; end++) {
      if (text.charCodeAt(end) === 7) return end + 1
      if (text.charCodeAt(end) === ESCAPE) return text.charAt(end + 1) === "\\" ? end + 2 : end
    }
    return at + 2
  }
  return /^[ -/]$/.test(second) ? at + 3 : at + (second === "" ? 1 : 2)
}

function styled(before: Style, sequence: string): Style {
  let style = before
  const codes = sequence.split(/[;:]/).slice(0, 32).map(Number)
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0
    if (code === 38 || code === 48) {
      const [color, length] = extended(codes, index + 1)
      index += length
      style = code === 38 ? { ...style, color } : { ...style, background: color }
    } else style = changed(style, code)
  }
  return style
}

function changed(style: Style, code: number): Style {
  switch (code) {
    case 0:
      return PLAIN
    case 1:
      return { ...style, bold: true }
    case 2:
      return { ...style, dim: true }
    case 3:
      return { ...style, italic: true }
    case 4:
      return { ...style, underline: true }
    case 22:
      return { ...style, bold: false, dim: false }
    case 23:
      return { ...style, italic: false }
    case 24:
      return { ...style, underline: false }
    case 39:
      return { ...style, color: undefined }
    case 49:
      return { ...style, background: undefined }
  }
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 }
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 }
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 }
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 }
  return style
}

/** One of 256 colours or of all, as the nearest of the sixteen; and how many codes say it. */
function extended(codes: readonly number[], at: number): readonly [color: number | undefined, length: number] {
  if (codes[at] === 2) return [nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4]
  const index = codes[at + 1] ?? 0
  if (codes[at] !== 5) return [undefined, 0]
  if (index < 16) return [index, 2]
  if (index >= 232) return [index < 244 ? 8 : 7, 2]
  const cube = index - 16
  const part = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  return [nearest(part(Math.floor(cube / 36)), part(Math.floor(cube / 6) % 6), part(cube % 6)), 2]
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue)
  if (most < 40) return 0
  const bits = [red, green, blue].reduce((sum, value, index) => sum + (value > most / 2 ? 1 << index : 0), 0)
  return bits + (most > 190 ? 8 : 0)
}

function classesOf({ bold, dim, italic, underline, color, background }: Style): string {
  const classes = [
    bold && "ansi-b",
    dim && "ansi-d",
    italic && "ansi-i",
    underline && "ansi-u",
    color !== undefined && `ansi-${color}`,
    background !== undefined && `ansi-on-${background}`,
  ]
  return classes.filter(Boolean).join(" ")
}
