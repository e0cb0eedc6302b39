// A fault that the person who runs `npm start` can fix. Its message is one sentence that says how.

export class UserError extends Error {}
