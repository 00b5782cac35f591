import type { Answer, Caller, TestHearth } from "../../../../tests/support/hearth.ts"

/** Shared by tests of merge queues: a repository whose branch main has one, and what stands for its checks. */

export interface QueueRepository {
  /** Its path below /api/v1. */
  readonly at: string
  /** A pull request into main that writes a file on a branch of its own; gives its number. */
  readonly pull: (file: string, content?: string) => Promise<number>
  readonly lineUp: (number: number, by?: Caller) => Promise<Answer>
  readonly queue: () => Promise<Answer["body"]>
  /** The commit of main. */
  readonly tip: () => Promise<string>
  readonly report: (sha: string, state: string, by?: Caller, context?: string) => Promise<Answer>
  readonly isMerged: (number: number) => Promise<boolean>
  /** Why a pull request has left the queue, oldest first. */
  readonly reasons: (number: number) => Promise<readonly string[]>
}

const encode = (text: string) => Buffer.from(text).toString("base64")

/** Makes a repository of the caller's with a rule for main that has a merge queue and requires the check "ci". */
export async function queueRepository(
  { call }: Pick<TestHearth, "call">,
  owner: { readonly name: string; readonly as: Caller },
  name: string,
  rule: object = {},
): Promise<QueueRepository> {
  const at = `/repos/${owner.name}/${name}`
  const must = async (caller: Caller, route: string, body?: object) => {
    const answer = await call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await must(owner.as, "POST /user/repos", { name, auto_init: true, default_branch: "main" })
  await must(owner.as, `POST ${at}/branch_protections`, {
    rule_name: "main",
    enable_push: true,
    enable_merge_queue: true,
    merge_queue_batch_size: 4,
    enable_status_check: true,
    status_check_contexts: ["ci"],
    ...rule,
  })
  let count = 0
  return {
    at,
    pull: async (file, content = `${file}\n`) => {
      count += 1
      const branch = `topic-${count}`
      const there = await call(owner.as, `GET ${at}/contents/${file}?ref=main`)
      const change = { content: encode(content), message: `Write ${file}`, branch: "main", new_branch: branch }
      if (there.status === 200) await must(owner.as, `PUT ${at}/contents/${file}`, { ...change, sha: there.body.sha })
      else await must(owner.as, `POST ${at}/contents/${file}`, change)
      return (await must(owner.as, `POST ${at}/pulls`, { head: branch, base: "main", title: `Bring ${file}` })).number
    },
    lineUp: (number, by = owner.as) => call(by, `POST ${at}/pulls/${number}/queue`, {}),
    queue: () => must(owner.as, `GET ${at}/merge_queues/main`),
    tip: async () => (await must(owner.as, `GET ${at}/branches/main`)).commit.id,
    report: (sha, state, by = owner.as, context = "ci") => call(by, `POST ${at}/statuses/${sha}`, { state, context }),
    isMerged: async (number) => (await must(owner.as, `GET ${at}/pulls/${number}`)).merged,
    reasons: async (number) =>
      (await must(owner.as, `GET ${at}/issues/${number}/timeline`))
        .filter(({ type }: { type: string }) => type === "pull_unqueued")
        .map(({ body }: { body: string }) => body),
  }
}
