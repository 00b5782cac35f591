/** A pointer that stands in the place of a large file. */
export interface LargeFile {
  readonly oid: string
  readonly size: number
}

/** A pointer is never longer than this. */
export const POINTER_BYTES = 1024

/** Reads a pointer as the Git LFS specification has it; undefined for every other content. */
export function readPointer(content: Buffer): LargeFile | undefined {
  if (content.length > POINTER_BYTES) return undefined
  const text = content.toString("latin1")
  if (!text.startsWith("version https://git-lfs.github.com/spec/")) return undefined
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1]
  const size = /^size (\d{1,15})$/m.exec(text)?.[1]
  return oid === undefined || size === undefined ? undefined : { oid, size: Number(size) }
}
