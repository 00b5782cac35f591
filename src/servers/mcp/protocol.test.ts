import { expect } from "vitest"
import { withHearth } from "../../../tests/support/fixture.ts"

/** What the protocol says about requests in general, whatever the tools are; the conformance suite asks for some of it. */
withHearth("MCP as a protocol", {}, ({ test, forge }) => {
  const post = async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${forge.hearth.url}/api/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${forge.hearth.token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const request = (method: string, params?: object) => ({ jsonrpc: "2.0", id: "a", method, ...(params && { params }) })
  const initialize = (protocolVersion: unknown) =>
    request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } })

  test("speaks the version that the client asks for, or its newest", async () => {
    for (const [asked, spoken] of [
      ["2025-03-26", "2025-03-26"],
      ["2025-06-18", "2025-06-18"],
      ["1999-01-01", "2025-11-25"],
    ])
      expect(await post(initialize(asked))).toMatchObject({
        status: 200,
        body: { id: "a", result: { protocolVersion: spoken, capabilities: { tools: {} }, serverInfo: { name: "hearth" } } },
      })
    expect((await post(request("ping"), { "mcp-protocol-version": "1999-01-01" })).status).toBe(400)
    expect(await post(request("ping"), { "mcp-protocol-version": "2025-06-18" })).toEqual({
      status: 200,
      body: { jsonrpc: "2.0", id: "a", result: {} },
    })
    expect(await post({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual({ status: 202, body: undefined })
  })

  test("says with its numbers what is wrong with a request", async () => {
    const codeOf = async (body: unknown) => {
      const { error } = (await post(body)).body
      return `${error.code} ${error.message}`
    }
    expect(await codeOf(request("tasks/none"))).toBe("-32601 Method not found")
    expect(await codeOf(request("resources/list"))).toBe("-32601 Method not found")
    expect(await codeOf(request("tools/list", { cursor: "x" }))).toBe("-32602 this cursor was not made here")
    expect(await codeOf(request("tools/call", { name: "none" }))).toBe("-32602 there is no tool none among those that were chosen")
    expect(await codeOf(request("tools/call", {}))).toMatch(/^-32602 params.name: /)
    expect(await codeOf(request("tools/call", { name: "repoGet", arguments: [] }))).toMatch(/^-32602 params.arguments: /)
    expect(await codeOf(initialize(undefined))).toMatch(/^-32602 params.protocolVersion: /)
    expect(await codeOf("{")).toMatch(/^-32700 /)
    expect(await codeOf({ id: 1, method: "ping" })).toMatch(/^-32700 /)
    // What a tool refuses is its result, for the model to read.
    expect((await post(request("tools/call", { name: "repoGet" }))).body.result).toMatchObject({
      isError: true,
      content: [{ text: "Refused with status 422: [owner]: is required" }],
    })
  })

  test("takes JSON that the client can read the answer to, also of a page of its own", async () => {
    expect((await post(request("ping"), { accept: "application/json" })).status).toBe(406)
    expect((await post(request("ping"), { "content-type": "text/plain" })).status).toBe(415)
    expect((await post(request("ping"), { origin: forge.hearth.url })).status).toBe(200)
    expect((await post(request("ping"), { origin: "http://evil.example.com" })).status).toBe(403)
  })
})
