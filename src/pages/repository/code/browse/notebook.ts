import Type, { Check, type Static, type TSchema } from "../../../../core/schema.ts"

/** Notebooks of Jupyter (nbformat 4): JSON with cells of text and of code, and what the code gave. Only what is shown is read. */

/** A text is written whole, or as a list of lines. */
const Text = Type.Union([Type.String(), Type.Array(Type.String())])

const Cell = Type.Object({
  cell_type: Type.String(),
  source: Text,
  execution_count: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  outputs: Type.Optional(Type.Array(Type.Unknown())),
})
const Whole = Type.Object({
  nbformat: Type.Integer({ minimum: 4 }),
  metadata: Type.Optional(Type.Unknown()),
  cells: Type.Array(Cell),
})

const Stream = Type.Object({ output_type: Type.Literal("stream"), name: Type.Optional(Type.String()), text: Text })
const Failure = Type.Object({
  output_type: Type.Literal("error"),
  ename: Type.Optional(Type.String()),
  evalue: Type.Optional(Type.String()),
  traceback: Type.Optional(Type.Array(Type.String())),
})
const Data = Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) })
const LanguageInfo = Type.Object({ language_info: Type.Object({ name: Type.String() }) })
const KernelSpec = Type.Object({ kernelspec: Type.Object({ language: Type.String() }) })

export type Output =
  | { readonly kind: "text"; readonly text: string; readonly isError: boolean }
  | { readonly kind: "html" | "markdown"; readonly text: string }
  /** The bytes are base64 of the right alphabet. */
  | { readonly kind: "picture"; readonly type: "image/png" | "image/jpeg"; readonly base64: string }

export type NotebookCell =
  | { readonly kind: "markdown" | "raw"; readonly text: string }
  | { readonly kind: "code"; readonly text: string; readonly count: number | undefined; readonly outputs: readonly Output[] }

export interface Notebook {
  /** The language of the code. */
  readonly language: string
  readonly cells: readonly NotebookCell[]
}

/** Outputs of one cell, and characters of one output of text. */
const MOST_OUTPUTS = 100
const LONGEST_OUTPUT = 100_000

/** The notebook in a text; undefined for a text that is none, or of an older form. */
export function readNotebook(text: string): Notebook | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Check(Whole, value)) return undefined
  return { language: languageOf(value.metadata), cells: value.cells.map(cellOf) }
}

function languageOf(metadata: unknown): string {
  if (Check(LanguageInfo, metadata)) return metadata.language_info.name
  return Check(KernelSpec, metadata) ? metadata.kernelspec.language : "python"
}

function cellOf({ cell_type: type, source, execution_count: count, outputs = [] }: Static<typeof Cell>): NotebookCell {
  const text = textOf(source)
  if (type !== "code") return { kind: type === "markdown" ? "markdown" : "raw", text }
  return { kind: "code", text, count: count ?? undefined, outputs: outputs.slice(0, MOST_OUTPUTS).flatMap(outputOf) }
}

const textOf = (text: Static<typeof Text>): string => (typeof text === "string" ? text : text.join(""))

/** What terminals take as colours and movements. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with one
const SEQUENCES = /\x1b\[[0-9;?]*[A-Za-z]/g

const plain = (text: string, isError: boolean): Output => {
  const shown = text.slice(0, LONGEST_OUTPUT).replace(SEQUENCES, "")
  return { kind: "text", text: text.length > LONGEST_OUTPUT ? `${shown}…` : shown, isError }
}

/** The richest form of an output that pages show. */
function outputOf(output: unknown): readonly Output[] {
  if (Check(Stream, output)) return [plain(textOf(output.text), output.name === "stderr")]
  if (Check(Failure, output)) {
    const { traceback = [], ename = "Error", evalue = "" } = output
    return [plain(traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue}`, true)]
  }
  if (!Check(Data, output)) return []
  const of = (type: string): string | undefined => {
    const found: unknown = Object.hasOwn(output.data, type) ? output.data[type] : undefined
    return isText(found) ? textOf(found) : undefined
  }
  for (const type of ["image/png", "image/jpeg"] as const) {
    const base64 = of(type)?.replace(/\s/g, "")
    if (base64 !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return [{ kind: "picture", type, base64 }]
  }
  const page = of("text/html")
  if (page !== undefined) return [{ kind: "html", text: page }]
  const markdown = of("text/markdown")
  if (markdown !== undefined) return [{ kind: "markdown", text: markdown }]
  const text = of("text/plain")
  return text === undefined ? [] : [plain(text, false)]
}

const isText = (value: unknown): value is Static<typeof Text> => Check<TSchema<Static<typeof Text>>>(Text, value)
