import type { Document, LineCounter, Node, Pair } from "yaml"
import { onDemand } from "../../../core/program/on-demand.ts"
import { isMapping, type Members, MOST_ALIASES, requireStorable, UnreadableYamlError } from "../../../core/yaml.ts"

/** The text of a workflow file, with the places of its members for messages. */

/** What is wrong with a workflow, for its author. */
export class WorkflowError extends UnreadableYamlError {
  /** The names of the members that lead to the place. */
  readonly path: readonly string[]
  constructor(message: string, path: readonly string[] = []) {
    super(message)
    this.path = path
  }
}

export interface Source {
  readonly members: Members
  /** The line and column of a member or, where it is missing, of what it should be in: "line 2, column 3"; "" for an unknown place. */
  readonly placeOf: (path: readonly string[]) => string
}

/** Reads the text of a workflow file. Throws `WorkflowError` with its place for what is no mapping in YAML. */
export function readSource(text: string): Source {
  const { LineCounter, parseDocument, visit } = onDemand("yaml")
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: "error" })
  const [error] = document.errors
  if (error) throw new WorkflowError(`${placeAt(lines, error.pos[0])}: ${error.message.split("\n", 1)[0] ?? ""}`)
  // A number is kept as it was written, for 1.10 is not the same version as 1.1.
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "number" && node.source !== String(node.value)) node.value = node.source
    },
  })
  const members = membersOf(document)
  return { members, placeOf: (path) => placeOf(document, lines, path) }
}

function membersOf(document: Document): Members {
  try {
    const read: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
    requireStorable(read)
    if (isMapping(read)) return read
  } catch (error) {
    throw new WorkflowError(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "it can't be read")
  }
  throw new WorkflowError("it should be a mapping with 'on' and 'jobs'")
}

function placeAt(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset)
  return `line ${line}, column ${col}`
}

function placeOf(document: Document, lines: LineCounter, path: readonly string[]): string {
  const { isMap, isScalar } = onDemand("yaml")
  let node: unknown = document.contents
  let place = ""
  for (const name of path) {
    if (!isMap<Node, Node>(node)) break
    const pair: Pair<Node, Node> | undefined = node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
    if (!pair) break
    if (pair.key.range) place = placeAt(lines, pair.key.range[0])
    node = pair.value
  }
  return place
}
