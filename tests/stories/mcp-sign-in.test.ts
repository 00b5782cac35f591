import { auth, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { expect } from "vitest"
import { withWorld } from "../support/fixture.ts"
import { type Client, openOAuth2World } from "../support/oauth2.ts"

/** Ben connects a program to his account by its address alone: it finds the authorization server, and he agrees in his browser. The client is that of the SDK, as programs have it. */
withWorld("a program signs in to MCP by OAuth2", { open: openOAuth2World }, ({ test, world }) => {
  /** What a program keeps, and the way to the browser. */
  function keeper(client: Client) {
    const kept: { verifier: string; tokens: OAuthTokens | undefined; asked: URL | undefined } = {
      verifier: "",
      tokens: undefined,
      asked: undefined,
    }
    const provider: OAuthClientProvider = {
      redirectUrl: client.redirect,
      clientMetadata: { client_name: "Agent", redirect_uris: [client.redirect] },
      clientInformation: () => ({ client_id: client.id, issuer: world.url }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      codeVerifier: () => kept.verifier,
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      redirectToAuthorization: (address) => void Object.assign(kept, { asked: address }),
      invalidateCredentials: () => void Object.assign(kept, { tokens: undefined }),
    }
    return { kept, provider }
  }

  const program = () => new McpClient({ name: "agent", version: "1" })

  /** Connects a program: the first try leads to the browser, where Ben sees what it asks for and agrees. */
  async function connected(query = "") {
    const { kept, provider } = keeper(world.installed)
    const address = new URL(`${world.url}/api/mcp${query}`)
    const first = new StreamableHTTPClientTransport(address, { authProvider: provider })
    await expect(program().connect(first)).rejects.toThrow("Unauthorized")
    const asked = kept.asked?.searchParams
    expect(asked?.get("code_challenge_method")).toBe("S256")
    const browser = await world.signedIn()
    const page = await browser.get(`${kept.asked?.pathname}${kept.asked?.search}`)
    await first.finishAuth(world.codeOf(page.status === 200 ? await browser.submit(page, { granted: "true" }) : page))
    return {
      ...(await withTools(address, provider)),
      provider,
      kept,
      address,
      scope: asked?.get("scope"),
      resource: asked?.get("resource"),
    }
  }

  async function withTools(address: URL, authProvider: OAuthClientProvider) {
    const client = program()
    await client.connect(new StreamableHTTPClientTransport(address, { authProvider }))
    const call = async (name: string, args: Record<string, unknown>) => {
      const { isError = false, content } = await client.callTool({ name, arguments: args })
      return { isError, text: JSON.stringify(content) }
    }
    return { client, call }
  }

  test("it asks for what its tools need, works with the rights that it was given, and goes on after its token has ended", async () => {
    const { call: api, ben } = world
    await api(ben, "POST /user/repos", { name: "notes", private: true, auto_init: true, default_branch: "main" })
    await api(ben, "POST /repos/ben/notes/issues", { title: "Read me" })
    const { client, call, kept, provider, address, scope, resource } = await connected()
    expect([scope, resource]).toEqual(["write:issue write:repository", `${world.url}/api/mcp`])
    expect(client.getServerVersion()?.name).toBe("hearth")
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("issueCreateIssue")
    const on = { owner: "ben", repo: "notes" }
    expect(await call("issueGetIssue", { ...on, index: 1 })).toMatchObject({ isError: false, text: expect.stringContaining("Read me") })
    expect(await call("issueCreateIssue", { ...on, body: { title: "Written" } })).toMatchObject({ isError: false })
    // The refresh token gives another one, without asking Ben.
    const before = kept.tokens?.access_token
    expect(await auth(provider, { serverUrl: address })).toBe("AUTHORIZED")
    expect(kept.tokens?.access_token).not.toBe(before)
    expect(await call("issueListIssues", on)).toMatchObject({ isError: false, text: expect.stringContaining("Written") })
    // Once the authorization has ended, the way leads to the browser again.
    await world.post("revoke", { client_id: world.installed.id, token: kept.tokens?.refresh_token })
    kept.asked = undefined
    await expect(call("issueListIssues", on)).rejects.toThrow("Unauthorized")
    expect(kept.asked).toBeInstanceOf(URL)
    await client.close()
  })

  test("one that only reads is refused what writes, with the reason", async () => {
    const reading = await connected("?toolsets=read")
    expect(reading.scope).toBe("read:notification read:issue read:repository")
    const on = { owner: "ben", repo: "notes" }
    expect(await reading.call("issueGetIssue", { ...on, index: 1 })).toMatchObject({ isError: false })
    await reading.client.close()

    const { client, call } = await withTools(new URL("/api/mcp?toolsets=issues", world.url), reading.provider)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect([names.includes("issueGetIssue"), names.includes("issueCreateIssue")]).toEqual([true, false])
    await expect(call("issueCreateIssue", { ...on, body: { title: "x" } })).rejects.toThrow(
      /there is no tool issueCreateIssue for this token: .*required=\[write:issue\]/,
    )
    expect((await world.call(world.ben, "GET /repos/ben/notes/issues?q=x")).body).toEqual([])
    await client.close()
  })
})
