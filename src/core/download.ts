import type { Readable } from "node:stream"
import Type, { type TSchema } from "typebox"

/** A file on its way out. */
export interface Download {
  /** The entity tag: other bytes have another one. */
  readonly tag: string
  /** In bytes. */
  readonly size: number
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

/** Whether an answer is a `fileDownload`. */
export const isDownload = (schema: TSchema | null | undefined): boolean => schema !== undefined && schema !== null && "isDownload" in schema

/** What was answered, as the file that its operation declares; what a handler gives was checked against it by the compiler. */
export function asDownload(body: unknown): Download {
  if (typeof body === "object" && body !== null && "open" in body && typeof body.open === "function") return body as Download
  throw new TypeError("the operation declares a file and gives something else")
}
