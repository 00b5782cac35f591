import { anyone } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { readSubscription, UNSUBSCRIBE_PATH, unsubscribe } from "../../features/events/mail/unsubscribe.ts"
import { plainPage } from "../../web/sign-in.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/**
 * The page behind the links of notification mails. Opening it changes nothing, as mail scanners follow links; the button does, and so does the
 * one-click request of a mail program (RFC 8058). No sign-in is needed: the link is signed.
 */
export const unsubscribePages: readonly Page[] = [
  page({
    ...shared,
    id: "mail.unsubscribing",
    address: `GET ${UNSUBSCRIBE_PATH}/{word}`,
    answer: ({ services, path: { word } }) =>
      readSubscription(services.secrets, word)
        ? plainPage(
            t("Unsubscribe from this?"),
            html`
              <p>You won’t be notified again, unless you are mentioned.</p>
              <form class="form" method="post"><button>Unsubscribe</button></form>
            `,
          )
        : unknownPage,
  }),

  page({
    ...shared,
    id: "mail.unsubscribe",
    address: `POST ${UNSUBSCRIBE_PATH}/{word}`,
    // Mail programs in a browser send the one-click request from their own site.
    fromAnySite: true,
    answer: async ({ services, path: { word } }) => {
      const subscription = readSubscription(services.secrets, word)
      if (!subscription) return unknownPage
      await services.database.write((tx) => unsubscribe(tx, subscription, services.now()))
      return plainPage(t("Unsubscribed"), html`<p class="notice good" role="status">You will no longer get mail about this.</p>`)
    },
  }),
]

const unknownPage = plainPage(
  t("This link is not valid"),
  html`<p class="notice bad" role="alert">It is incomplete, or from another site. Copy it from the mail again.</p>`,
  { status: 404 },
)
