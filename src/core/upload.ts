import type { Readable } from "node:stream"
import Type, { type TSchema } from "typebox"

/** A file on its way in: its name as the client gives it, and its bytes, which can be read once. */
export interface Upload {
  readonly fileName: string
  /** Ends in an error, a refusal, when the request breaks off or can't be understood. */
  readonly content: Readable
}

/**
 * The body of an operation that takes a file: multipart/form-data with the file in the part of this name. The handler is given an `Upload`
 * before the file has arrived; it alone says how much of it is read.
 */
export const fileUpload = (field: string) =>
  Type.Unsafe<Upload>({
    type: "object",
    properties: { [field]: { type: "string", format: "binary" } },
    required: [field],
    uploadField: field,
  })

/** The name of the part that carries the file, where the body is a `fileUpload`. */
export function uploadFieldOf(body: TSchema | undefined): string | undefined {
  const field: unknown = body && "uploadField" in body ? body.uploadField : undefined
  return typeof field === "string" ? field : undefined
}
