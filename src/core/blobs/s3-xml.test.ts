import { describe, expect, test } from "vitest"
import { readError, readObjects, readUploadId, readUploads } from "./s3-xml.ts"

describe("what object stores answer", () => {
  test("a refusal has a code and a message, and anything else has none", () => {
    expect(
      readError(`<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>It isn&apos;t &lt;there&gt;</Message></Error>`),
    ).toEqual({
      code: "NoSuchBucket",
      message: "It isn't <there>",
    })
    for (const other of ["", "<html><body>502 Bad Gateway", "{}", "<Error><Code", "<Other><Code>x</Code></Other>"])
      expect(readError(other)).toEqual({ code: "", message: "" })
  })

  test("the name of an upload in parts", () => {
    const xml = `<InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Key>a</Key><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>`
    expect(readUploadId(xml)).toBe("u&1")
    expect(readUploadId("<Other/>")).toBe("")
  })

  test("a page of objects", () => {
    const xml = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t==</NextContinuationToken>
      <Contents><Key>lfs/a</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>12</Size><Owner><ID>x</ID></Owner></Contents>
      <Contents><Key>lfs/b</Key><LastModified>2026-01-02T03:04:06.000Z</LastModified><Size>0</Size></Contents>
      <CommonPrefixes><Prefix>c</Prefix></CommonPrefixes></ListBucketResult>`
    const at = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(readObjects(xml)).toEqual({
      objects: [
        { key: "lfs/a", size: 12, modifiedAt: at },
        { key: "lfs/b", size: 0, modifiedAt: at + 1_000 },
      ],
      next: "t==",
    })
    expect(readObjects("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>")).toEqual({ objects: [], next: undefined })
  })

  test("a page of uploads that are not completed", () => {
    const upload = `<Upload><Key>lfs/a</Key><UploadId>1</UploadId><Initiated>2026-01-02T03:04:05Z</Initiated></Upload>`
    const xml = (more: string) => `<ListMultipartUploadsResult><KeyMarker/>${more}${upload}</ListMultipartUploadsResult>`
    const uploads = [{ key: "lfs/a", uploadId: "1", begunAt: Date.UTC(2026, 0, 2, 3, 4, 5) }]
    expect(readUploads(xml("<IsTruncated>false</IsTruncated>"))).toEqual({ uploads, next: undefined })
    expect(
      readUploads(xml("<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker><IsTruncated>true</IsTruncated>")),
    ).toEqual({ uploads, next: { "key-marker": "k", "upload-id-marker": "u" } })
  })
})
