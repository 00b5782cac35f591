import { Parser } from "htmlparser2"

/** What object stores answer: small documents of elements without attributes that matter. */

/** Calls `hear` with each element that has only text, by the names of the elements around it. */
function readElements(xml: string, hear: (path: string, text: string) => void): void {
  const names: string[] = []
  let text = ""
  const parser = new Parser(
    {
      onopentag(name) {
        names.push(name)
        text = ""
      },
      ontext(data) {
        text += data
      },
      onclosetag() {
        hear(names.join("."), text)
        names.pop()
        text = ""
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
}

export interface Answered {
  readonly code: string
  readonly message: string
}

/** The code and the message of a refusal; empty where there are none. */
export function readError(xml: string): Answered {
  const found = { code: "", message: "" }
  readElements(xml, (path, text) => {
    if (path === "Error.Code") found.code = text
    if (path === "Error.Message") found.message = text
  })
  return found
}

export const readUploadId = (xml: string): string => {
  let found = ""
  readElements(xml, (path, text) => {
    if (path === "InitiateMultipartUploadResult.UploadId") found = text
  })
  return found
}

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modifiedAt: number
}

/** A page of ListObjectsV2. */
export function readObjects(xml: string): { readonly objects: readonly ListedObject[]; readonly next: string | undefined } {
  const objects: ListedObject[] = []
  let [key, size, modifiedAt] = ["", 0, 0]
  let next: string | undefined
  readElements(xml, (path, text) => {
    if (path === "ListBucketResult.NextContinuationToken") next = text
    if (path === "ListBucketResult.Contents.Key") key = text
    if (path === "ListBucketResult.Contents.Size") size = Number(text)
    if (path === "ListBucketResult.Contents.LastModified") modifiedAt = Date.parse(text)
    if (path === "ListBucketResult.Contents") objects.push({ key, size, modifiedAt })
  })
  return { objects, next }
}

export interface ListedUpload {
  readonly key: string
  readonly uploadId: string
  readonly begunAt: number
}

/** A page of ListMultipartUploads: uploads in parts that are not completed. */
export function readUploads(xml: string): {
  readonly uploads: readonly ListedUpload[]
  readonly next: Readonly<Record<string, string>> | undefined
} {
  const uploads: ListedUpload[] = []
  let [isTruncated, keyMarker, idMarker] = [false, "", ""]
  let [key, uploadId, begunAt] = ["", "", 0]
  readElements(xml, (path, text) => {
    if (path === "ListMultipartUploadsResult.IsTruncated") isTruncated = text === "true"
    if (path === "ListMultipartUploadsResult.NextKeyMarker") keyMarker = text
    if (path === "ListMultipartUploadsResult.NextUploadIdMarker") idMarker = text
    if (path === "ListMultipartUploadsResult.Upload.Key") key = text
    if (path === "ListMultipartUploadsResult.Upload.UploadId") uploadId = text
    if (path === "ListMultipartUploadsResult.Upload.Initiated") begunAt = Date.parse(text)
    if (path === "ListMultipartUploadsResult.Upload") uploads.push({ key, uploadId, begunAt })
  })
  return { uploads, next: isTruncated ? { "key-marker": keyMarker, "upload-id-marker": idMarker } : undefined }
}
