import { useEffect, useState, type FormEvent } from 'react';
import { Text } from '../parts/words.js';
import { read } from '../zone-api/exchange.js';
import { Failure } from '../zone-api/failure.js';
import { signIn, signInByCookie, useSession } from '../session.js';
import { signInFacts, signInOutcome, signInPath, type SignInFacts } from '../zone-api/sign-in.js';

// What a bearer can look like: fetch throws on anything a header can not carry.
const TOKEN = /^[\x21-\x7e]{8,512}$/;

/** Takes the operator's token, tries it against the zone, and keeps it for this tab only. The URL stays, so a deep link survives. */
export function SignInPage() {
  const { ended, left } = useSession();
  const provider = useProvider(left);
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState(() => ended ?? signInOutcome());
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · AdaOS console';
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = token.trim();
    if (!TOKEN.test(given))
      return setProblem('This is no token: paste the whole text, without quotes or spaces.');
    setBusy(true);
    setProblem(null);
    try {
      await read('/foundation', { token: given });
      signIn(given);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={(event) => void submit(event)}>
        <img src="/console/mark.svg" alt="" width="40" height="40" />
        <h1>AdaOS console</h1>
        <p>
          Sign in to the zone at <strong>{location.host}</strong>.
        </p>
        {provider && (
          <a className="button button-main sign-in-with" href={signInPath()}>
            Sign in with <Text>{provider.name}</Text>
          </a>
        )}
        <label htmlFor="token">Operator token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={token}
          onChange={(event) => setToken(event.target.value)}
          aria-describedby="token-hint"
          aria-invalid={problem !== null}
        />
        <p id="token-hint" className="hint">
          <code>npm start</code> prints it as <em>Operator</em>. It stays in this tab and is forgotten when
          the tab closes.
        </p>
        <div role="alert">{problem && <p className="sign-in-problem">{problem}</p>}</div>
        <button type="submit" className={provider ? 'button' : 'button button-main'} disabled={busy}>
          {busy ? 'Asking the zone…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

/** The identity provider of the zone. A browser that has signed in there before is in at once, unless it has just left. */
function useProvider(left: boolean): SignInFacts['sign_in'] {
  const [provider, setProvider] = useState<SignInFacts['sign_in']>(null);
  useEffect(() => {
    const unmounted = new AbortController();
    void signInFacts(unmounted.signal).then(({ sign_in, signed_in }) => {
      if (unmounted.signal.aborted) return;
      if (signed_in && !left) signInByCookie();
      else setProvider(sign_in);
    });
    return () => unmounted.abort();
  }, [left]);
  return provider;
}

function problemOf(error: unknown): string {
  const { code, message } =
    error instanceof Failure ? error : new Failure('console', 'The console itself failed.');
  if (code === 'unauthenticated')
    return 'The zone does not know this token. Is it from this zone, and from its last start?';
  // What a lease gets for a tool outside of its list.
  if (code === 'tool_not_found')
    return 'This is the bearer of a lease. It is for a client; the console needs an operator token.';
  if (code === 'unreachable') return `${message} Is it running?`;
  return message;
}
