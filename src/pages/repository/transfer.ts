import { onRepositorySignedIn } from "../../access/policies/repositories.ts"
import { memberOf } from "../../core/check.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { lifecycleOperations } from "../../features/code/lifecycle/operations.ts"
import { findOfferTo } from "../../features/code/lifecycle/transfer.ts"
import { formView } from "../../web/form.ts"
import { repositoryPage } from "./frame.ts"

/** What those decide to whom a repository is offered. All pages of the repository lead here while they are asked. */
const offer: Page = page({
  id: "repository.offer",
  address: "GET /{owner}/{repo}/transfer",
  access: onRepositorySignedIn,
  answer: async (call) => {
    const { db, me, owner, repository, draft } = call
    const recipient = await findOfferTo(db, me, repository.id)
    if (!recipient) throw refuse.notFound()
    return repositoryPage(call, {
      tab: undefined,
      title: t("Transfer"),
      unlisted: true,
      body: html`
        <h1>Accept transfer?</h1>
        <p>
          <bdi>${owner.name}</bdi> offers it to ${recipient.id === me.id ? t("you") : html`<bdi>${recipient.name}</bdi>`},
          with its issues, pull requests, wiki and releases. Links to the old name redirect.
        </p>
        <div class="bar">
          ${formView(accept, { path: call.path, draft, submit: t("Accept") })}
          ${formView(reject, { path: call.path, draft, submit: t("Reject"), look: "plain" })}
        </div>
      `,
    })
  },
})

const accept = form({
  id: "repository.acceptOffer",
  address: "POST /{owner}/{repo}/transfer/accept",
  does: named(lifecycleOperations, "acceptRepoTransfer"),
  on: offer,
  done: t("Repository transferred."),
  to: ({ record }) => `/${String(memberOf(record, "full_name"))}`,
})

const reject = form({
  id: "repository.rejectOffer",
  address: "POST /{owner}/{repo}/transfer/reject",
  does: named(lifecycleOperations, "rejectRepoTransfer"),
  on: offer,
  done: t("Transfer rejected."),
  to: () => "/",
})

export const transferPages: readonly Page[] = [offer, accept, reject]
