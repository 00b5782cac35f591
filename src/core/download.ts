import type { Readable } from "node:stream"
import Type, { type TSchema } from "./schema.ts"

/** A file on its way out. */
export interface Download {
  /** The entity tag: other bytes have another one. */
  readonly tag: string
  /** In bytes; undefined where it isn't known before all is read. */
  readonly size: number | undefined
  /** Begins to read it; not asked for where the client has it already. */
  readonly open: () => Promise<OpenDownload>
}

export interface OpenDownload {
  /** The Content-Type header. */
  readonly type: string
  /** The Content-Disposition header. */
  readonly disposition: string
  readonly content: Buffer | Readable
}

/** The answer of an operation that hands out a file as it is. */
export const fileDownload = () => Type.Unsafe<Download>({ type: "string", format: "binary", isDownload: true })

/** Whether an answer is a `fileDownload`, or may be one. */
const mayBeDownload = (schema: TSchema): boolean =>
  "isDownload" in schema || ("anyOf" in schema && Array.isArray(schema.anyOf) && schema.anyOf.some(mayBeDownload))

/** What was answered where it is a file that its operation declares, alone or beside a record; what a handler gives was checked by the compiler. */
export function downloadIn(schema: TSchema | null | undefined, body: unknown): Download | undefined {
  if (!schema || !mayBeDownload(schema)) return undefined
  if (typeof body === "object" && body !== null && "open" in body && typeof body.open === "function") return body as Download
  if ("isDownload" in schema) throw new TypeError("the operation declares a file and gives something else")
  return undefined
}
