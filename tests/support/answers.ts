/** Compares every answer of a forge with the schema that the operation declares for its status. */

import { Compile, type Validator } from "typebox/compile"
import { downloadIn } from "../../src/core/download.ts"
import type { Operation, Sent } from "../../src/core/operation.ts"
import Type, { type TSchema } from "../../src/core/schema.ts"
import { streamIn } from "../../src/core/streamed.ts"
import { operations } from "../../src/operations.ts"

export interface AnswerCheck {
  /** For `startHearth`. */
  readonly onAnswer: (operation: Operation, sent: Sent<number, unknown>) => void
  /** The mismatches since the last call. */
  readonly mismatches: () => readonly string[]
}

export function checkAnswers(): AnswerCheck {
  let found: string[] = []
  return {
    onAnswer(operation, sent) {
      for (const words of faultsOf(operation, sent)) found.push(`${operation.method} ${operation.path} → ${sent.status}: ${words}`)
    },
    mismatches() {
      const told = [...new Set(found)]
      found = []
      return told
    },
  }
}

function faultsOf(operation: Operation, sent: Sent<number, unknown>): readonly string[] {
  const schema = operation.answers[sent.status]
  if (schema === undefined) return ["the status is not declared"]
  if (operation.paged && sent.status === 200 && sent.total === undefined) return ["a list that is paged has a total"]
  if (sent.total !== undefined && !operation.paged && !Array.isArray(sent.body)) return ["a total belongs to a list, and to nothing else"]
  if (schema === null) return sent.body === undefined ? [] : ["there is a body where none is declared"]
  if (sent.body === undefined) return ["there is no body"]
  // Its records are compared where they are read.
  if (streamIn(schema, sent.body)) return []
  const download = downloadIn(schema, sent.body)
  if (download) return (download.size ?? 0) >= 0 ? [] : ["a file has a size"]
  // As in the JSON text, members that are undefined are missing.
  const body: unknown = JSON.parse(JSON.stringify(sent.body))
  const validator = validatorOf(schema)
  if (validator.Check(body)) return []
  return validator.Errors(body).map(({ instancePath, message }) => `${instancePath.replace(/\/\d+/g, "/0") || "the body"} ${message}`)
}

const validators = new Map<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const compiled = Compile(named(), closed(schema))
  validators.set(schema, compiled)
  return compiled
}

let records: Record<string, TSchema> | undefined

/** The records by name, for those that refer to one another. */
function named(): Record<string, TSchema> {
  if (records) return records
  const found: Record<string, TSchema> = {}
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if ("title" in node && typeof node.title === "string" && !(node.title in found)) found[node.title] = closed(node)
    for (const member of Object.values(node)) collect(member)
  }
  for (const { answers } of operations) for (const schema of Object.values(answers)) collect(schema)
  records = found
  return found
}

/** The same schema, which admits no member that it does not name: an answer with more than is documented is a mistake too. */
function closed(schema: object): TSchema {
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close)
    if (typeof node !== "object" || node === null) return node
    const members = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, close(member)]))
    return members["type"] === "object" && "properties" in members ? { additionalProperties: false, ...members } : members
  }
  return Type.Unsafe(Object.assign({}, close(schema)))
}
