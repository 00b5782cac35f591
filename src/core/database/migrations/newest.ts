/** The newest of the migrations, of which a start with an up-to-date database loads none. */
export const newest = { id: 55, name: "newcomers" } as const
