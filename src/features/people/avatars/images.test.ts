import { describe, expect, test } from "vitest"
import { recognizePicture } from "./images.ts"

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex")

// The first bytes of images of 3 by 2 pixels, following the specifications of the formats.
const pictures = {
  "image/png": [hex("89504e470d0a1a0a 0000000d 49484452 00000003 00000002 0802000000")],
  "image/gif": [
    Buffer.concat([Buffer.from("GIF89a"), hex("0300 0200 800000")]),
    Buffer.concat([Buffer.from("GIF87a"), hex("0300 0200 800000")]),
  ],
  "image/jpeg": [
    hex("ffd8 ffe0 0010 4a46494600010101004800480000 ffc0 0011 08 0002 0003 03012200021101031101"),
    hex("ffd8 ffff ffdb 0004 0000 ffc2 0011 08 0002 0003 03012200021101031101"),
  ],
  "image/webp": [
    Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8 "), hex("18000000 300100 9d012a 0300 0200 0000")]),
    Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8L"), hex("0d000000 2f 02400000 0000000000")]),
    Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8X"), hex("0a000000 10000000 020000 010000")]),
  ],
}

describe("pictures", () => {
  test.each(Object.entries(pictures))("%s is recognised with its size", (type, samples) => {
    for (const bytes of samples) expect(recognizePicture(bytes)).toEqual({ type, width: 3, height: 2 })
  })

  test.each(Object.entries(pictures))("%s cut short anywhere is none, and nothing breaks", (_, samples) => {
    for (const bytes of samples)
      for (let length = 0; length < 9; length++) expect(recognizePicture(bytes.subarray(0, length))).toBeUndefined()
    for (const bytes of samples)
      for (let length = 9; length < bytes.length; length++) expect(() => recognizePicture(bytes.subarray(0, length))).not.toThrow()
  })

  test.each([Buffer.from("<svg/>"), Buffer.from("RIFF\0\0\0\0WAVEfmt "), Buffer.alloc(64), hex("ffd8ffd9"), hex("ffd8ffda0002ffd9")])(
    "%j is none",
    (bytes) => {
      expect(recognizePicture(bytes)).toBeUndefined()
    },
  )
})
