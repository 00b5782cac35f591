import { type Caller, freshHearth, type TestHearth } from "../../../../tests/support/hearth.ts"

/**
 * The fixture of these tests: ann owns ann/open and ann/hush (private), each with issues; ben may write to both; cal and dot have no access
 * of their own.
 */
export interface CommentFixture extends TestHearth {
  readonly ann: string
  readonly ben: string
  readonly cal: string
  readonly dot: string
  /** Comments on an issue and returns the comment's id. */
  readonly comment: (caller: Caller, issue: string, body: string) => Promise<number>
  readonly status: (caller: Caller, route: string, body?: unknown) => Promise<number>
}

export async function openCommentFixture(
  kind: Parameters<typeof freshHearth>[0],
  config: Parameters<typeof freshHearth>[1] = {},
): Promise<CommentFixture> {
  const forge = await freshHearth(kind, config)
  const must = async (caller: Caller, route: string, body?: unknown) => {
    const answer = await forge.call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const ann = await forge.person("ann")
  const ben = await forge.person("ben")
  const cal = await forge.person("cal")
  const dot = await forge.person("dot")
  for (const [name, hidden] of [
    ["open", false],
    ["hush", true],
  ] as const) {
    await must(ann, "POST /user/repos", { name, private: hidden })
    await must(ann, `PUT /repos/ann/${name}/collaborators/ben`, { permission: "write" })
    for (const title of ["One", "Two"]) await must(ann, `POST /repos/ann/${name}/issues`, { title })
  }
  return {
    ...forge,
    ann,
    ben,
    cal,
    dot,
    comment: async (caller, issue, body) => (await must(caller, `POST /repos/ann/${issue}/comments`, { body })).id,
    status: async (caller, route, body) => (await forge.call(caller, route, body)).status,
  }
}
