/** A file that becomes one in a zip file. */
export interface FilePart {
  readonly path: string
  /** In the zip file. */
  readonly name: string
  readonly isGzip: boolean
  /** Of its bytes, unpacked. */
  readonly size: number
}
