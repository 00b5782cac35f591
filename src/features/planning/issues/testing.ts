import type { Answer, Caller, TestHearth } from "../../../../tests/support/hearth.ts"

/** The members of a timeline entry that tests check. */
export interface TimelineEntryFields {
  readonly type: string
  readonly body: string
  readonly user: { readonly login: string }
  readonly assignee: { readonly login: string } | null
  readonly removed_assignee: boolean
  readonly old_title: string
  readonly new_title: string
  readonly new_ref: string
  readonly ref_issue: { readonly number: number } | null
  readonly ref_action: string
  readonly ref_commit_sha: string
}

/** Calls on the issues of one repository, for tests. */
export const issuesOf = ({ call }: TestHearth, caller: Caller, repository: string) => {
  const at = `/repos/${repository}/issues`
  return {
    create: (body: object, by: Caller = caller): Promise<Answer> => call(by, `POST ${at}`, body),
    get: (index: number, by: Caller = caller): Promise<Answer> => call(by, `GET ${at}/${index}`),
    edit: (index: number, body: object, by: Caller = caller): Promise<Answer> => call(by, `PATCH ${at}/${index}`, body),
    list: (query = "", by: Caller = caller): Promise<Answer> => call(by, `GET ${at}?${query}`),
    on: (method: string, path: string, body?: object, by: Caller = caller): Promise<Answer> => call(by, `${method} ${at}/${path}`, body),
    /** The timeline, with what `pick` takes from each entry; its kind by default. */
    timeline: async (index: number, pick: (entry: TimelineEntryFields) => unknown = ({ type }) => type): Promise<unknown[]> => {
      const { body } = await call(caller, `GET ${at}/${index}/timeline`)
      return Array.isArray(body) ? body.map(pick) : []
    },
  }
}

/** The numbers of a list of issues. */
export const numbers = ({ body }: Answer): number[] => (Array.isArray(body) ? body.map((issue: { number: number }) => issue.number) : [])
