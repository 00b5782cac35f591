import type { CallOptions, Client } from "./call.ts"

/** A function of this module that lists something. */
export type List<Input, Answer> = (client: Client, input: Input, options?: CallOptions) => Promise<Answer>

interface Paged {
  readonly page?: number | undefined
  readonly limit?: number | undefined
}

/** The pages of a list, one call each, as the header Link leads from one to the next: for answers that hold their entries in a member. */
export async function* pages<Input extends Paged, Answer>(
  list: List<Input, Answer>,
  client: Client,
  input: NoInfer<Input>,
  options: CallOptions = {},
): AsyncGenerator<Answer, void, undefined> {
  let page: number | undefined = input.page ?? 1
  while (page !== undefined) {
    const here: number = page
    let link = ""
    const onAnswer: CallOptions["onAnswer"] = (answer) => {
      link = answer.headers.get("link") ?? ""
      options.onAnswer?.(answer)
    }
    yield await list(client, { ...input, page: here }, { ...options, onAnswer })
    const next = nextIn(link)
    page = next !== undefined && next > here ? next : undefined
  }
}

/** The entries of a list over all its pages: `for await (const issue of each(issueListIssues, client, { owner, repo }))`. */
export async function* each<Input extends Paged, Entry>(
  list: List<Input, readonly Entry[]>,
  client: Client,
  input: NoInfer<Input>,
  options: CallOptions = {},
): AsyncGenerator<Entry, void, undefined> {
  for await (const page of pages(list, client, input, options)) yield* page
}

function nextIn(link: string): number | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(link) ?? []
  const page = address === undefined ? "" : (new URL(address, "http://localhost").searchParams.get("page") ?? "")
  return /^\d{1,10}$/.test(page) ? Number(page) : undefined
}
