import { expect, test } from "vitest"
import { readNotebook } from "./notebook.ts"

const notebook = (cells: readonly object[], more: object = {}) => JSON.stringify({ nbformat: 4, metadata: {}, cells, ...more })
const code = (...outputs: readonly unknown[]) => ({ cell_type: "code", source: ["a\n", "b"], execution_count: 3, outputs })
const outputOf = (output: unknown) => {
  const cell = readNotebook(notebook([code(output)]))?.cells[0]
  return cell?.kind === "code" ? cell.outputs : undefined
}

test("cells and their outputs", () => {
  const text = notebook([{ cell_type: "markdown", source: "# x" }, { cell_type: "raw", source: ["r"] }, code()], {
    metadata: { language_info: { name: "r" } },
  })
  expect(readNotebook(text)).toEqual({
    language: "r",
    cells: [
      { kind: "markdown", text: "# x" },
      { kind: "raw", text: "r" },
      { kind: "code", text: "a\nb", count: 3, outputs: [] },
    ],
  })
  expect(readNotebook(notebook([], { metadata: { kernelspec: { language: "julia" } } }))?.language).toBe("julia")
  expect(readNotebook(notebook([], { metadata: { kernelspec: 3 } }))?.language).toBe("python")
})

test("the richest form of an output that pages show", () => {
  expect(outputOf({ output_type: "stream", name: "stderr", text: ["no\n", "\u001b[31mred\u001b[0m"] })).toEqual([
    { kind: "text", text: "no\nred", isError: true },
  ])
  expect(outputOf({ output_type: "error", ename: "E", evalue: "v", traceback: [] })).toEqual([
    { kind: "text", text: "E: v", isError: true },
  ])
  const data = { "text/plain": "p", "text/html": ["<b>", "h"], "image/png": "AA\nAA", "application/json": {} }
  expect(outputOf({ output_type: "display_data", data })).toEqual([{ kind: "picture", type: "image/png", base64: "AAAA" }])
  expect(outputOf({ output_type: "execute_result", data: { ...data, "image/png": '"><script>' } })).toEqual([
    { kind: "html", text: "<b>h" },
  ])
  expect(outputOf({ output_type: "execute_result", data: { "text/plain": "p", "image/svg+xml": "<svg>" } })).toEqual([
    { kind: "text", text: "p", isError: false },
  ])
  expect(outputOf({ output_type: "execute_result", data: { "application/json": {} } })).toEqual([])
  for (const odd of [null, 3, [], {}, { output_type: "stream" }, { data: null }, { data: { "text/plain": 3 } }])
    expect(outputOf(odd)).toEqual([])
})

test("bounds", () => {
  const [long] = outputOf({ output_type: "stream", text: "x".repeat(200_000) }) ?? []
  expect(long?.kind === "text" && long.text.length).toBe(100_001)
  const many = readNotebook(notebook([code(...Array.from({ length: 500 }, () => ({ output_type: "stream", text: "x" })))]))?.cells[0]
  expect(many?.kind === "code" && many.outputs.length).toBe(100)
})

test.each([
  "",
  "{",
  "[]",
  "null",
  '{"cells": []}',
  '{"nbformat": 3, "worksheets": []}',
  notebook([{ cell_type: "code" }]),
  notebook([{ source: 3, cell_type: "code" }]),
])("what is no notebook is none: %s", (text) => {
  expect(readNotebook(text)).toBeUndefined()
})
