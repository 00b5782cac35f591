import { describe, expect, test } from "vitest"
import { readStoragePlace } from "./s3-place.ts"

function urlOf(text: string, key?: string, query: Readonly<Record<string, string>> = {}): string {
  const place = readStoragePlace(text)
  if (typeof place === "string") throw new Error(place)
  return place.urlOf(key, query)
}

describe("the address of an object store", () => {
  test("names bucket, endpoint and region", () => {
    expect(readStoragePlace("s3://files?endpoint=https://s3.example.org&region=eu-1")).toMatchObject({ bucket: "files", region: "eu-1" })
    expect(readStoragePlace("s3://files")).toMatchObject({ endpoint: new URL("https://s3.us-east-1.amazonaws.com"), region: "us-east-1" })
    expect(readStoragePlace("s3://files?region=eu-1")).toMatchObject({ endpoint: new URL("https://s3.eu-1.amazonaws.com") })
  })

  test("has the bucket in the path where the endpoint is given, unless it says otherwise", () => {
    expect(urlOf("s3://files?endpoint=http://127.0.0.1:9000", "lfs/aa/b")).toBe("http://127.0.0.1:9000/files/lfs/aa/b")
    expect(urlOf("s3://files?endpoint=https://example.org/s3/", "lfs/aa/b")).toBe("https://example.org/s3/files/lfs/aa/b")
    expect(urlOf("s3://files?endpoint=https://example.org&path_style=false", "lfs/aa/b")).toBe("https://files.example.org/lfs/aa/b")
    expect(urlOf("s3://files?region=eu-1", "lfs/aa/b")).toBe("https://files.s3.eu-1.amazonaws.com/lfs/aa/b")
    expect(urlOf("s3://files?endpoint=http://127.0.0.1:9000", undefined, { uploads: "", prefix: "a b/ä" })).toBe(
      "http://127.0.0.1:9000/files?uploads=&prefix=a+b%2F%C3%A4",
    )
  })

  test.each([
    ["https://files.example.org", "must be like s3://"],
    ["s3://", "must name a bucket"],
    ["s3://Files_1", "must name a bucket"],
    ["s3://files/below", "and no folder in it"],
    ["s3://key:secret@files", "must not have credentials"],
    ["s3://files?endpoint=example.org", "must have an endpoint"],
    ["s3://files?endpoint=ftp://example.org", "must have an endpoint"],
    ["s3://files?endpoint=https://me@example.org", "must have an endpoint"],
    ["s3://files?path_style=yes", "must have true or false for path_style"],
    ["s3://files?zone=eu", "has zone, which is not known"],
  ])("%s is refused in words", (text, words) => {
    expect(readStoragePlace(text)).toContain(words)
  })
})
