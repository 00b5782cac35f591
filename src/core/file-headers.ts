/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The headers that a file is sent with. */
export interface FileHeaders {
  /** The Content-Type header. */
  readonly type: string
  /** The Content-Disposition header; none for what is shown in a page, such as a picture. */
  readonly disposition?: string
}
