import { type Answer, html } from './answers';

/** The server's own user interface, which any unknown path gets. */
export function webInterface(): Answer {
  return page(
    'Stash',
    `<div id="root"></div>
<p>This is a fake Stash server. Its library is made up.
<p><a href="playground">Playground</a>`,
  );
}

/** The login page, for people whom a server with credentials does not know; it may say what went wrong. */
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

/** The schema for people to read. */
export function playground(schema: string): Answer {
  const readable = schema.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return page('GraphQL playground', `<h1>Schema</h1>\n<pre>${readable}</pre>`);
}

/** What a reverse proxy says of a path that it does not hand on. */
export function unknownToProxy(): Answer {
  return page('404 Not Found', '<h1>404 Not Found</h1>', 404);
}

function page(title: string, body: string, status = 200): Answer {
  return html(status, `<!DOCTYPE html>\n<html lang="en">\n<title>${title}</title>\n${body}\n</html>\n`);
}
