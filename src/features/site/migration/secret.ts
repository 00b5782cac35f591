/** The context that the secret of an import is encrypted for. */
export const importSecretContext = (id: number): string => `import ${id}`

/** The one that credentials typed into the form of an import are encrypted for, while somebody looks at what is there. */
export const formSecretContext = (userId: number): string => `import form ${userId}`
