import type { Readable } from "node:stream"
import Type, { type TSchema } from "./schema.ts"

/** An uploaded file: its name as the client gives it, and its bytes, which can be read once. */
export interface Upload {
  readonly fileName: string
  /** Ends in a refusal when the request is cut off or malformed. */
  readonly content: Readable
  /** Where several files may come: those behind it, each of which can be read once, when the one before was read. */
  readonly others?: AsyncIterable<Upload>
  /** The fields of the form that came before the file. */
  readonly fields?: Readonly<Record<string, readonly string[]>>
}

/**
 * The body of an operation that takes a file: multipart/form-data with the file in the part of this name. The handler receives an `Upload`
 * before the file has arrived, and decides how much of it is read. With `plain` the body may also be the file itself, without a name.
 */
export const fileUpload = (field: string, { plain = false }: { readonly plain?: boolean } = {}) =>
  Type.Unsafe<Upload>({
    type: "object",
    properties: { [field]: { type: "string", format: "binary" } },
    required: [field],
    uploadField: field,
    ...(plain && { takesPlainFile: true }),
  })

/** How an operation takes a file. */
export interface UploadForm {
  /** The name of the part that contains the file. */
  readonly field: string
  /** Whether the body may also be the file itself, with any other content type. */
  readonly plain: boolean
  /** How many files of this name may come; one unless said otherwise. */
  readonly most?: number
}

/** How the file comes, where the body is a `fileUpload`. */
export function uploadFormOf(body: TSchema | undefined): UploadForm | undefined {
  const field: unknown = body && "uploadField" in body ? body.uploadField : undefined
  return typeof field === "string" ? { field, plain: body !== undefined && "takesPlainFile" in body } : undefined
}
