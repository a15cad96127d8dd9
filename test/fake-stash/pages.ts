import { type Answer, html } from './answers';

/** Returns the server's user interface, the response to any unknown path. */
export function webInterface(): Answer {
  return page(
    'Stash',
    `<div id="root"></div>
<p>This is a fake Stash server. Its library is made up.
<p><a href="playground">Playground</a>`,
  );
}

/** Returns the login page, with the reason why a sign-in failed. */
export function loginPage(message = ''): Answer {
  return page(
    'Stash: Login',
    `<p>${message}
<form method="post" action="login">
<label>Username <input name="username"></label>
<label>Password <input name="password" type="password"></label>
<button>Login</button>
</form>`,
  );
}

/** Returns a page with the schema. */
export function playground(schema: string): Answer {
  const readable = schema.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return page('GraphQL playground', `<h1>Schema</h1>\n<pre>${readable}</pre>`);
}

/** Returns a reverse proxy's response to a path that it does not forward. */
export function unknownToProxy(): Answer {
  return page('404 Not Found', '<h1>404 Not Found</h1>', 404);
}

function page(title: string, body: string, status = 200): Answer {
  return html(status, `<!DOCTYPE html>\n<html lang="en">\n<title>${title}</title>\n${body}\n</html>\n`);
}
